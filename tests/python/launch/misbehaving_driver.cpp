// Keeps the driver's contract (arguments, stdout lines, records) and breaks it on request, so that
// the launcher can be tested against faults that the real driver cannot be asked for.
//
// HALOCLINE_TEST_FAULT holds words "ACTION" or "ACTION:RANK" or "ACTION:RANK:NUMBER", separated by
// spaces. Actions that need a moment take place at the beginning of case HALOCLINE_TEST_CASE. If
// HALOCLINE_TEST_GATE names a file, that case begins when the file is there: however busy the
// machine is, a test has the time to look at the job and to strike it.
#include <mpi.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Fault {
  std::string action;
  int rank = 0;
  int number = 0;
};

std::string variable(char const* name, char const* fallback) {
  char const* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

std::optional<Fault> fault(std::string const& action) {
  std::istringstream words(variable("HALOCLINE_TEST_FAULT", ""));
  for (std::string word; words >> word;) {
    std::istringstream parts(word);
    Fault found;
    std::string rank = "0";
    std::string number = "0";
    std::getline(parts, found.action, ':');
    std::getline(parts, rank, ':');
    std::getline(parts, number, ':');
    if (found.action == action) {
      found.rank = std::stoi(rank);
      found.number = std::stoi(number);
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Fault> fault(std::string const& action, int rank) {
  auto found = fault(action);
  return found && found->rank == rank ? found : std::nullopt;
}

void say(std::string const& line) {
  std::printf("halocline: %s\n", line.c_str());
  std::fflush(stdout);
}

[[noreturn]] void stop(int rank, std::string const& what, int code) {
  std::fprintf(stderr, "halocline-driver: rank %d: %s\n", rank, what.c_str());
  std::fflush(stderr);
  _exit(code);
}

std::uint32_t crc32(std::uint32_t crc, std::string const& bytes) {
  crc = ~crc;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

class Samples {
 public:
  Samples(std::string const& path)
      : path_(path), file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0644)) {
    if (file_ < 0)
      stop(0, "cannot open " + path + ": " + std::strerror(errno), 1);
  }
  void append(std::string const& line) {
    struct stat before{};
    fstat(file_, &before);
    ssize_t const written = write(file_, line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size()))
      return;
    int const reason = written < 0 ? errno : ENOSPC;
    if (ftruncate(file_, before.st_size) != 0)
      stop(0, "cannot cut off " + path_, 1);
    stop(0, "cannot write " + path_ + ": " + std::strerror(reason), 1);
  }
  void record(std::string const& line) {
    append(line);
    crc_ = crc32(crc_, line);
  }
  std::uint32_t crc() const { return crc_; }

 private:
  std::string path_;
  int file_;
  std::uint32_t crc_ = 0;
};

void write_pid_file(int rank) {
  std::set<std::string> shared;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    auto const at = line.find("/dev/shm/");
    if (at != std::string::npos && line.find(" (deleted)") == std::string::npos)
      shared.insert(line.substr(at));
  }
  std::ofstream file(variable("HALOCLINE_JOB_DIR", ".") + "/rank-" + std::to_string(rank) + ".pid");
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char space[64] = "";
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
    stop(rank, "cannot read its pid namespace", 1);
  file << getpid() << ' ' << boot << ' ' << space << '\n';
  for (auto const& path : shared)
    file << path << '\n';
}

// A child that leaves the session and the process group, as badly behaved daemons do.
void spawn_daemon() {
  if (fork() == 0) {
    setsid();
    std::signal(SIGTERM, SIG_IGN);
    if (fork() == 0) {
      for (;;)
        pause();
    }
    _exit(0);
  }
}

void wait_at_gate() {
  std::string const gate = variable("HALOCLINE_TEST_GATE", "");
  while (!gate.empty() && access(gate.c_str(), F_OK) != 0)
    usleep(1000);
}

void misbehave(int rank) {
  if (auto const f = fault("exit", rank))
    _exit(f->number);
  if (auto const f = fault("error", rank))
    stop(rank, "the payload is wrong", f->number);
  if (fault("hang", rank))
    for (;;)
      pause();
  if (auto const f = fault("signal", rank)) {
    raise(f->number);
    pause();
  }
  if (fault("ignore-terminate", rank))
    std::signal(SIGTERM, SIG_IGN);
  if (fault("daemon", rank))
    spawn_daemon();
  if (auto const f = fault("flood", rank))
    for (int line = 0; line < f->number; ++line)
      std::fprintf(stderr, "warning %d of a library that talks too much\n", line);
}

std::string processor_name() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return name;
}

std::string allowed_cpus() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("Cpus_allowed_list:", 0) == 0)
      return line.substr(line.find('\t') + 1);
  return "";
}

// A text of each rank, as the elements of a JSON list; on rank 0 only.
std::string gathered(std::string text, int rank, int ranks) {
  constexpr int width = 256;
  text.resize(width);
  std::string all(rank == 0 ? static_cast<std::size_t>(width * ranks) : 0U, '\0');
  MPI_Gather(text.data(), width, MPI_CHAR, all.data(), width, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::string list;
  for (std::size_t at = 0; at < all.size(); at += width)
    list += (at > 0 ? ",\"" : "\"") + std::string(&all[at]) + '"';
  return list;
}

int count_nodes() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int place = 0;
  MPI_Comm_rank(node, &place);
  int const lowest = place == 0 ? 1 : 0;
  int nodes = 0;
  MPI_Allreduce(&lowest, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return nodes;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int at = 1; at + 1 < argc; at += 2)
    options[argv[at]] = argv[at + 1];

  if (auto const f = fault("exit-before-start"))
    stop(0, "unknown argument", f->number);
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  write_pid_file(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (fault("silent"))
    for (;;)
      pause();

  std::vector<std::string> cases;
  std::ifstream lines(options["--cases"]);
  for (std::string line; std::getline(lines, line);)
    cases.push_back(line.substr(0, line.find(' ')));

  std::string const head =
      R"("label":")" + options["--label"] + R"(","launch":)" + options["--launch"];
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string version;
  for (char const* at = library; *at != '\0' && *at != '\n'; ++at)
    version += *at == '\t' ? "\\t" : std::string(1, *at);

  std::string const hosts = gathered(processor_name(), rank, ranks);
  std::string const cpus = gathered(allowed_cpus(), rank, ranks);
  int const nodes = count_nodes();
  int const claimed = fault("world") ? fault("world")->number : ranks;
  std::optional<Samples> samples;
  if (rank == 0) {
    samples.emplace(options["--output"]);
    say("started ranks=" + std::to_string(claimed));
    samples->record(R"({"type":"start","schema":1,)" + head + R"(,"ranks":)" +
                    std::to_string(ranks) + R"(,"mpi":{"library_version":")" + version +
                    R"("},"nodes":)" + std::to_string(nodes) + R"(,"hosts":[)" + hosts +
                    R"(],"cpus":[)" + cpus + "]}\n");
  }
  int const moment = std::stoi(variable("HALOCLINE_TEST_CASE", "2"));
  int written = 0;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    if (rank == 0)
      say("case " + std::to_string(at + 1) + "/" + std::to_string(cases.size()) + " " + cases[at]);
    if (static_cast<int>(at) + 1 == moment) {
      wait_at_gate();
      misbehave(rank);
    }
    int token = 0;
    if (ranks > 1 && rank == 0) {
      MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    usleep(static_cast<useconds_t>(std::stoi(variable("HALOCLINE_TEST_CASE_US", "1000"))));
    if (rank != 0)
      continue;
    std::string row(fault("large") ? static_cast<std::size_t>(fault("large")->number) : 1U, ' ');
    samples->record(R"({"type":"samples",)" + head + R"(,"case":")" + cases[at] +
                    R"(","status":"measured","reason":"","repeats":10,"moved_bytes":8,)" +
                    R"("elapsed_s":[[1e-5,1e-5]],"preempted":[0,0],"line_s":[]})" + row + "\n");
    written += 2;
  }
  if (rank == 0 && !fault("no-completion")) {
    char checksum[9];
    std::snprintf(checksum, sizeof checksum, "%08x",
                  static_cast<unsigned>(samples->crc() ^ (fault("checksum") ? 1U : 0U)));
    samples->append(R"({"type":"complete",)" + head + R"(,"ranks":)" + std::to_string(ranks) +
                    R"(,"cases":)" + std::to_string(cases.size()) + R"(,"samples":)" +
                    std::to_string(written + (fault("samples") ? 1 : 0)) + R"(,"checksum":")" +
                    checksum + "\"}\n");
    say("complete");
  }
  if (fault("hang-at-end", rank))
    for (;;)
      pause();
  MPI_Finalize();
  int const code = fault("code") ? fault("code")->number : 0;
  return code;
}
