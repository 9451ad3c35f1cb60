#include "halocline/route/directory.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/radix_sort.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/sparse_exchange.hpp"

namespace halocline::route {
namespace {

using layout::Index;
using layout::Points;
using mpi::Letter;

/// Each chunk of numbers is kept by one rank: long enough that runs stay together, short enough
/// that all ranks keep about the same amount.
constexpr Index chunk = 256;

/// The rank that keeps a number: hashed, so that clusters of numbers spread over the ranks.
int keeper_of(Index number, int ranks) {
  auto mixed = static_cast<std::uint64_t>(number / chunk) + 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<int>((mixed ^ (mixed >> 31U)) % static_cast<std::uint64_t>(ranks));
}

/// Letters that are written concurrently.
class Mail {
 public:
  void write(int peer, std::initializer_list<Index> numbers) {
    const auto [found, is_new] = letter_of_.try_emplace(peer, letters_.size());
    if (is_new) {
      letters_.push_back({.peer = peer, .numbers = {}});
    }
    LargeVector<Index>& letter = letters_[found->second].numbers;
    letter.insert(letter.end(), numbers);
  }
  const std::vector<Letter>& letters() const { return letters_; }

 private:
  std::unordered_map<int, std::size_t> letter_of_;
  std::vector<Letter> letters_;
};

// The sign of a record's length says which side it belongs to: positive is the source.

void announce(const Points& points, int sign, int ranks, Mail& mail) {
  for (const Points::Run& run : points.runs()) {
    for (Index done = 0; done < run.length;) {
      const Index number = run.number + done;
      const Index length = std::min(run.length - done, chunk - number % chunk);
      mail.write(keeper_of(number, ranks), {number, run.position + done, sign * length});
      done += length;
    }
  }
}

/// Consecutive numbers, and their place on a rank.
struct Entry {
  Index number;
  Index position;
  Index length;
  int rank;

  Index end() const { return number + length; }
};

/// The part of the directory that a rank keeps, each side in order of number.
struct Kept {
  LargeVector<Entry> source;
  LargeVector<Entry> destination;
};

std::uint64_t number_of(const Entry& entry) { return static_cast<std::uint64_t>(entry.number); }

Kept kept(std::vector<Letter> letters) {
  Kept all;
  for (Letter& letter : letters) {
    for (std::size_t at = 0; at < letter.numbers.size(); at += 3) {
      const Index length = letter.numbers[at + 2];
      (length > 0 ? all.source : all.destination)
          .push_back({.number = letter.numbers[at],
                      .position = letter.numbers[at + 1],
                      .length = std::abs(length),
                      .rank = letter.peer});
    }
    letter.numbers = LargeVector<Index>();  // {} would keep its memory
  }
  sort_by(all.source, number_of);
  sort_by(all.destination, number_of);
  return all;
}

void require_once(const LargeVector<Entry>& side, const std::string& name, Index from) {
  const auto twice = std::ranges::adjacent_find(
      side, [](const Entry& one, const Entry& next) { return one.end() > next.number; });
  if (twice != side.end()) {
    const auto [lower, upper] = std::minmax(twice->rank, (twice + 1)->rank);
    throw Error("point " + std::to_string((twice + 1)->number + from) + " is listed twice at the " +
                name + ", on rank " + std::to_string(lower) + " and on rank " +
                std::to_string(upper) + "; allowed: once; remove it from one list");
  }
}

/// The first of the side's points that the other lacks: its number and owner.
std::pair<Index, int> first_missing(const LargeVector<Entry>& side,
                                    const LargeVector<Entry>& other) {
  auto there = other.begin();
  for (const Entry& entry : side) {
    for (Index number = entry.number; number < entry.end(); number = there->end()) {
      while (there != other.end() && there->end() <= number) {
        ++there;
      }
      if (there == other.end() || there->number > number) {
        return {number, entry.rank};
      }
    }
  }
  return {0, mpi::no_rank};
}

/// Messages count points from `from`.
void require_met(const Kept& kept, Unwanted unwanted, Index from) {
  require_once(kept.source, "source", from);
  require_once(kept.destination, "destination", from);
  const auto [gap, asking] = first_missing(kept.destination, kept.source);
  if (asking != mpi::no_rank) {
    throw Error("rank " + std::to_string(asking) + " asks for point " + std::to_string(gap + from) +
                ", which no rank has at the source; leave it out of the destination's list");
  }
  if (unwanted == Unwanted::refused) {
    const auto [idle, having] = first_missing(kept.source, kept.destination);
    if (having != mpi::no_rank) {
      throw Error("rank " + std::to_string(having) + " has point " + std::to_string(idle + from) +
                  " at the source, which no rank asks for; leave it out, or allow unwanted points");
    }
  }
}

/// Sends both ends of each point where the other end is.
Mail answers(const Kept& kept) {
  Mail mail;
  auto have = kept.source.begin();
  for (const Entry& asked : kept.destination) {
    for (Index number = asked.number; number < asked.end();) {
      while (have->end() <= number) {
        ++have;
      }
      const Index length = std::min(have->end(), asked.end()) - number;
      const Index source = have->position + (number - have->number);
      const Index destination = asked.position + (number - asked.number);
      mail.write(have->rank, {asked.rank, source, destination, length});
      mail.write(asked.rank, {have->rank, destination, source, -length});
      number += length;
    }
  }
  return mail;
}

Stretches stretches(std::vector<Letter> letters) {
  Stretches all;
  for (Letter& letter : letters) {
    for (std::size_t at = 0; at < letter.numbers.size(); at += 4) {
      const Index length = letter.numbers[at + 3];
      (length > 0 ? all.sends : all.receives)
          .push_back({.peer = static_cast<int>(letter.numbers[at]),
                      .own = letter.numbers[at + 1],
                      .peers = letter.numbers[at + 2],
                      .length = std::abs(length)});
    }
    letter.numbers = LargeVector<Index>();  // {} would keep its memory
  }
  return all;
}

/// Sorts by peer and position at the source, and joins stretches contiguous on both sides.
void put_in_order(LargeVector<Stretch>& all, Index Stretch::* at_source) {
  sort_by(all, [at_source](const Stretch& stretch) {
    return static_cast<std::uint64_t>(stretch.*at_source);
  });
  sort_by(all, [](const Stretch& stretch) { return static_cast<std::uint64_t>(stretch.peer); });
  std::size_t joined = 0;
  for (std::size_t next = 1; next < all.size(); ++next) {
    Stretch& last = all[joined];
    if (last.peer == all[next].peer && last.own + last.length == all[next].own &&
        last.peers + last.length == all[next].peers) {
      last.length += all[next].length;
    } else {
      all[++joined] = all[next];
    }
  }
  all.resize(all.empty() ? 0 : joined + 1);
}

}  // namespace

Stretches look_up(const Points& source, const Points& destination,
                  const mpi::Communicator& communicator, Unwanted unwanted) {
  std::vector<Letter> received;
  {
    Mail mail;
    announce(source, 1, communicator.size(), mail);
    announce(destination, -1, communicator.size(), mail);
    received = mpi::sparse_exchange(communicator, mail.letters());
  }
  {
    const Kept directory = kept(std::move(received));
    const Index from = std::max(source.messages_from(), destination.messages_from());
    mpi::agreed(communicator, [&] { require_met(directory, unwanted, from); });
    received = mpi::sparse_exchange(communicator, answers(directory).letters());
  }
  Stretches all = stretches(std::move(received));
  put_in_order(all.sends, &Stretch::own);
  put_in_order(all.receives, &Stretch::peers);
  return all;
}

}  // namespace halocline::route
