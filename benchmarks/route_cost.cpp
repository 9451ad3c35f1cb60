// What a pair route costs next to the bare MPI calls: both in one process, in turns of 1 ms on the
// same buffers, so that the machine's drift and the memory's layout cancel. Prints one JSON line a
// protocol: the time of one message in each turn.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <vector>

#include "halocline/base/json.hpp"
#include "halocline/bundle/exchange.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/pairs.hpp"

namespace {

using namespace halocline;

constexpr int message_bytes = 8;
constexpr int rounds = 200;
constexpr int turns = 400;

struct Ends {
  std::array<std::byte, message_bytes> outgoing{};
  std::array<std::byte, message_bytes> incoming{};
};

void bare_send_recv(Ends& ends, bool leads, MPI_Comm world) {
  for (int round = 0; round < rounds; ++round) {
    if (leads) {
      MPI_Send(ends.outgoing.data(), message_bytes, MPI_BYTE, 1, 0, world);
    }
    MPI_Recv(ends.incoming.data(), message_bytes, MPI_BYTE, leads ? 1 : 0, 0, world,
             MPI_STATUS_IGNORE);
    if (!leads) {
      MPI_Send(ends.outgoing.data(), message_bytes, MPI_BYTE, 0, 0, world);
    }
  }
}

void bare_isend_irecv(Ends& ends, bool leads, MPI_Comm world) {
  const int peer = leads ? 1 : 0;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  const auto post = [&] {
    MPI_Irecv(ends.incoming.data(), message_bytes, MPI_BYTE, peer, 0, world, &receive);
  };
  const auto emit = [&] {
    MPI_Isend(ends.outgoing.data(), message_bytes, MPI_BYTE, peer, 0, world, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  };
  for (int round = 0; round < rounds; ++round) {
    if (leads) {
      post();
      emit();
    } else if (round == 0) {
      post();
    }
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (!leads) {
      if (round + 1 < rounds) {
        post();
      }
      emit();
    }
  }
}

/// Seconds a message, bare and over the route, a value a turn.
struct Times {
  std::vector<double> bare_s;
  std::vector<double> route_s;
};

template <class Bare>
Times take_turns(const protocol::Protocol& protocol, const mpi::Communicator& communicator,
                 Bare bare) {
  Ends ends;
  const auto box = layout::Box::line(message_bytes);
  const auto bundle_of = [&box](auto& bytes) {
    return bundle::Bundle{{.data = bytes.data(), .element_bytes = 1, .extent = box}};
  };
  const int rank = communicator.rank();
  bundle::Exchange there(route::one_way(rank, 0, 1, box), bundle_of(ends.outgoing),
                         bundle_of(ends.incoming), protocol, communicator);
  bundle::Exchange back(route::one_way(rank, 1, 0, box), bundle_of(ends.outgoing),
                        bundle_of(ends.incoming), protocol, communicator);
  const bool leads = rank == 0;
  Times times;
  const auto timed = [&](auto loop) {
    communicator.barrier();
    const Seconds begin = measure::now();
    loop();
    return (measure::now() - begin).count() / (2 * rounds);
  };
  const auto over_route = [&] {
    if (!leads) {
      there.post();
    }
    alternate(there, back, leads, rounds);
  };
  const auto over_calls = [&] { bare(ends, leads, MPI_COMM_WORLD); };
  for (int turn = 0; turn < turns; ++turn) {  // A B, then B A
    if (turn % 2 == 0) {
      times.bare_s.push_back(timed(over_calls));
      times.route_s.push_back(timed(over_route));
    } else {
      times.route_s.push_back(timed(over_route));
      times.bare_s.push_back(timed(over_calls));
    }
  }
  return times;
}

void print(const char* protocol, const Times& times) {
  JsonText json;
  json.begin_object().field("protocol", protocol);
  json.list("bare_s", times.bare_s).list("route_s", times.route_s).end_object();
  std::puts(json.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  const auto communicator = mpi::Communicator::world();
  const auto blocking = take_turns(protocol::find("send_recv"), communicator, bare_send_recv);
  const auto nonblocking =
      take_turns(protocol::find("isend_irecv"), communicator, bare_isend_irecv);
  if (communicator.rank() == 0) {
    print("send_recv", blocking);
    print("isend_irecv", nonblocking);
  }
}
