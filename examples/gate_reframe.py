"""A ReFrame test: this machine's MPI is no slower than a baseline that `halocline run` recorded.

    reframe -c gate_reframe.py -S baseline=/path/of/baseline -r

It fails if a case is slower by the gate or more, for sure, in two measurements.
"""

from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class HaloclineGate(rfm.RunOnlyRegressionTest):
    """Measures the baseline's cases again, on the node that ReFrame runs it on."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    baseline = variable(str)
    gate = variable(str, value="3%")
    executable = "halocline"
    tags = {"halocline", "performance"}

    @run_before("run")
    def name_the_baseline(self):
        """The run's folder, however the test was started."""
        baseline = str(Path(self.baseline).absolute())
        self.executable_opts = ["compare", "--gate", self.gate, baseline, "--junit", "gate.xml"]
        self.keep_files = ["gate.xml"]

    @sanity_function
    def nothing_regressed(self):
        """The gate's own words, which it prints last."""
        return sn.assert_found(r"^Gate passed: none of [1-9]", self.stdout)

    @performance_function("cases")
    def compared(self):
        """How many cases could be compared."""
        return sn.extractsingle(r"^Gate passed: none of (\d+)", self.stdout, 1, int)
