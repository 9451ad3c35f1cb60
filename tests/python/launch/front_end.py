"""A front end that tests can kill: runs the pickled job it is given, prints each case's number."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from halocline.launch.run_job import run_job

job = pickle.loads(Path(sys.argv[1]).read_bytes())
try:
    print(run_job(job, lambda progress: print(progress.case, flush=True)))
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(130)
