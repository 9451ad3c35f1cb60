#include "halocline/route/route_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halocline/base/checksum.hpp"
#include "halocline/base/error.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::route {
namespace {

using Numbers = std::vector<std::int64_t>;

// A file: the first line, then sections of numbers in the machine's byte order. The first section
// has the version and the ranks; those of the ranks follow, in order.
constexpr std::string_view first_line = "halocline route\n";
constexpr std::int64_t version = 2;
constexpr std::size_t head_numbers = 2;

/// What stands before the numbers of a section.
struct SectionHead {
  std::int64_t count;
  std::uint64_t checksum;  // of the count and the numbers
};

constexpr std::size_t numbers_of_leg = 4 + 2 * layout::max_dimensions;

void add_legs(const std::vector<Leg>& legs, Numbers& numbers) {
  numbers.push_back(static_cast<std::int64_t>(legs.size()));
  for (const Leg& leg : legs) {
    numbers.push_back(leg.peer);
    numbers.push_back(leg.part);
    numbers.insert(numbers.end(), leg.box.lower.begin(), leg.box.lower.end());
    numbers.insert(numbers.end(), leg.box.upper.begin(), leg.box.upper.end());
    numbers.push_back(leg.reversed);
    numbers.push_back(static_cast<std::int64_t>(leg.dimensions));
  }
}

Numbers numbers_of(const Route& route) {
  Numbers numbers;
  numbers.reserve(2 + numbers_of_leg * (route.sends.size() + route.receives.size()));
  add_legs(route.sends, numbers);
  add_legs(route.receives, numbers);
  return numbers;
}

/// Whether a rank's numbers are two valid lists of legs to or from these ranks.
bool is_sound(std::span<const std::int64_t> numbers, int ranks) {
  for (int list = 0; list < 2; ++list) {
    if (numbers.empty()) {
      return false;
    }
    const std::int64_t legs = numbers.front();
    numbers = numbers.subspan(1);
    if (legs < 0 || std::cmp_greater(legs, numbers.size() / numbers_of_leg)) {
      return false;
    }
    for (std::int64_t leg = 0; leg < legs; ++leg) {
      const bool known = numbers[0] >= 0 && numbers[0] < ranks && numbers[1] >= 0 &&
                         numbers[1] <= std::numeric_limits<int>::max();
      const auto lower = numbers.subspan(2, layout::max_dimensions);
      const auto upper = numbers.subspan(2 + layout::max_dimensions, layout::max_dimensions);
      const auto last = numbers.subspan(numbers_of_leg - 2, 2);
      const bool in_order = last[0] >= 0 && std::cmp_less(last[0], 1U << layout::max_dimensions) &&
                            last[1] >= 0 && std::cmp_less_equal(last[1], layout::max_dimensions);
      if (!known || !in_order || !std::ranges::equal(lower, upper, std::less_equal{})) {
        return false;
      }
      numbers = numbers.subspan(numbers_of_leg);
    }
  }
  return numbers.empty();
}

std::vector<Leg> take_legs(std::span<const std::int64_t>& numbers) {
  std::vector<Leg> legs(static_cast<std::size_t>(numbers.front()));
  numbers = numbers.subspan(1);
  for (Leg& leg : legs) {
    leg.peer = static_cast<int>(numbers[0]);
    leg.part = static_cast<int>(numbers[1]);
    for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
      leg.box.lower[dimension] = numbers[2 + dimension];
      leg.box.upper[dimension] = numbers[2 + layout::max_dimensions + dimension];
    }
    leg.reversed = static_cast<unsigned>(numbers[numbers_of_leg - 2]);
    leg.dimensions = static_cast<std::size_t>(numbers[numbers_of_leg - 1]);
    numbers = numbers.subspan(numbers_of_leg);
  }
  return legs;
}

Route route_of(const Numbers& numbers) {
  std::span<const std::int64_t> left = numbers;
  Route route;
  route.sends = take_legs(left);
  route.receives = take_legs(left);
  return route;
}

std::string_view bytes_of(const auto& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
std::string_view bytes_of(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)};
}

std::uint64_t checksum(std::int64_t count, const Numbers& numbers) {
  Crc32 sum;
  sum.add(bytes_of(count));
  sum.add(bytes_of(numbers));
  return sum.value();
}

void write_section(std::ofstream& file, const Numbers& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  const SectionHead head{.count = count, .checksum = checksum(count, numbers)};
  file << bytes_of(head) << bytes_of(numbers);
}

/// A route file as rank 0 reads it, section by section.
class Reader {
 public:
  Reader(const std::string& path, int ranks)
      : path_(path), ranks_(ranks), size_bytes_(size_of(path)) {
    file_.open(path, std::ios::binary);
    if (!file_) {
      throw unreadable(path, std::strerror(errno));
    }
    std::array<char, first_line.size()> line{};
    file_.read(line.data(), line.size());
    if (!file_ || std::string_view(line.data(), line.size()) != first_line) {
      throw Error("'" + path + "' is not a route file; give one that was saved as a route");
    }
    require_head();
  }

  /// The numbers of the next rank.
  Numbers rank() {
    Numbers numbers = section();
    if (!is_sound(numbers, ranks_)) {
      throw damaged("its numbers are not those of a route");
    }
    return numbers;
  }

  void require_end() {
    if (static_cast<std::int64_t>(file_.tellg()) != size_bytes_) {
      throw damaged("it has content after its end");
    }
  }

 private:
  Numbers section() {
    SectionHead head{};
    file_.read(reinterpret_cast<char*>(&head), sizeof head);
    const std::int64_t left = size_bytes_ - static_cast<std::int64_t>(file_.tellg());
    constexpr std::int64_t number_bytes = sizeof(std::int64_t);
    if (!file_ || head.count < 0 || head.count > left / number_bytes) {
      throw damaged("it ends too soon");
    }
    Numbers numbers(static_cast<std::size_t>(head.count));
    file_.read(reinterpret_cast<char*>(numbers.data()), head.count * number_bytes);
    if (!file_ || checksum(head.count, numbers) != head.checksum) {
      throw damaged("a checksum differs");
    }
    return numbers;
  }

  static std::int64_t size_of(const std::string& path) {
    std::error_code problem;
    const auto size = std::filesystem::file_size(path, problem);
    if (problem) {
      throw unreadable(path, problem.message());
    }
    return static_cast<std::int64_t>(size);
  }

  static Error unreadable(const std::string& path, const std::string& why) {
    return Error("the route file '" + path + "' cannot be read: " + why +
                 "; name an existing, readable file");
  }

  void require_head() {
    const Numbers head = section();
    if (head.size() != head_numbers || head[0] != version) {
      throw Error("the route file '" + path_ + "' has another version than " +
                  std::to_string(version) + "; compute the route again and save it");
    }
    if (head[1] != ranks_) {
      throw Error("the route file '" + path_ + "' is of " + std::to_string(head[1]) +
                  (head[1] == 1 ? " rank" : " ranks") + ", the communicator has " +
                  std::to_string(ranks_) + "; both must be the same; compute the route again");
    }
  }

  Error damaged(const std::string& how) const {
    return Error("the route file '" + path_ + "' is damaged: " + how +
                 "; compute the route again and save it");
  }

  std::string path_;
  int ranks_;
  std::ifstream file_;
  std::int64_t size_bytes_;
};

constexpr std::size_t most_numbers = std::size_t{1} << 24U;  // in one message

/// The length first, then as many messages as it takes.
void send(const Numbers& numbers, int peer, const mpi::Communicator& communicator) {
  const std::array<std::size_t, 1> count{numbers.size()};
  communicator.send(std::as_bytes(std::span(count)), peer);
  for (std::size_t begin = 0; begin < numbers.size(); begin += most_numbers) {
    const std::size_t length = std::min(most_numbers, numbers.size() - begin);
    communicator.send(std::as_bytes(std::span(numbers).subspan(begin, length)), peer);
  }
}

Numbers receive(int peer, const mpi::Communicator& communicator) {
  std::array<std::size_t, 1> count{};
  communicator.receive(std::as_writable_bytes(std::span(count)), peer);
  Numbers numbers(count[0]);
  for (std::size_t begin = 0; begin < numbers.size(); begin += most_numbers) {
    const std::size_t length = std::min(most_numbers, numbers.size() - begin);
    communicator.receive(std::as_writable_bytes(std::span(numbers).subspan(begin, length)), peer);
  }
  return numbers;
}

std::string unfinished(const std::string& path) { return path + ".unfinished"; }

/// Why the first of several calls failed; later ones change errno.
class FirstFailure {
 public:
  /// Call after each of them.
  void note(bool failed) {
    if (failed && why_.empty()) {
      why_ = std::strerror(errno);
    }
  }

  void require_written(const std::string& path) const {
    if (!why_.empty()) {
      std::remove(unfinished(path).c_str());  // other files need the space
      throw Error("the route file '" + path + "' cannot be written: " + why_ +
                  "; check that its folder exists and the disk has space");
    }
  }

 private:
  std::string why_;
};

}  // namespace

void save(const Route& route, const std::string& path, const mpi::Communicator& communicator) {
  const bool writes = communicator.rank() == 0;
  std::ofstream file;
  FirstFailure failure;
  mpi::agreed(communicator, [&] {
    if (writes) {
      file.open(unfinished(path), std::ios::binary | std::ios::trunc);
      failure.note(!file);
      failure.require_written(path);
    }
  });
  const Numbers own = numbers_of(route);
  if (!writes) {
    send(own, 0, communicator);
  } else {
    file << first_line;
    write_section(file, {version, communicator.size()});
    write_section(file, own);
    failure.note(!file);
    for (int rank = 1; rank < communicator.size(); ++rank) {
      write_section(file, receive(rank, communicator));
      failure.note(!file);
    }
  }
  mpi::agreed(communicator, [&] {
    if (writes) {
      file.close();
      failure.note(!file);
      failure.require_written(path);
      failure.note(std::rename(unfinished(path).c_str(), path.c_str()) != 0);
      failure.require_written(path);
    }
  });
}

Route load(const std::string& path, const mpi::Communicator& communicator) {
  Numbers own;
  std::exception_ptr problem;
  if (communicator.rank() == 0) {
    const auto attempt = [&problem](const auto& step) {
      try {
        if (!problem) {
          step();
        }
      } catch (const std::exception&) {
        problem = std::current_exception();
      }
    };
    std::optional<Reader> reader;
    attempt([&] { reader.emplace(path, communicator.size()); });
    attempt([&] { own = reader->rank(); });
    for (int rank = 1; rank < communicator.size(); ++rank) {
      Numbers numbers;  // empty where the file is damaged: the rank still waits for them
      attempt([&] { numbers = reader->rank(); });
      send(numbers, rank, communicator);
    }
    attempt([&] { reader->require_end(); });
  } else {
    own = receive(0, communicator);
  }
  mpi::agreed(communicator, [&problem] {
    if (problem) {
      std::rethrow_exception(problem);
    }
  });
  return route_of(own);
}

}  // namespace halocline::route
