#include "halocline/measure/path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/scratch.hpp"

namespace halocline::measure {
namespace {

TEST(PathTest, payload_that_crossed_no_interface_is_on_a_wrong_path) {
  EXPECT_EQ(wrong_path({.nodes = 2, .payload_bytes = 1000, .wire_bytes = 1020}), "");
  EXPECT_EQ(wrong_path({.nodes = 2, .payload_bytes = 0, .wire_bytes = 0}), "");
  EXPECT_NE(wrong_path({.nodes = 2, .payload_bytes = 1000, .wire_bytes = 12}).find("12 of 1000"),
            std::string::npos);
}

/// The files of a kernel, below a folder.
class Kernel {
 public:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// Interfaces that have received 1 byte each, and sent so many.
  void count(const std::vector<std::pair<std::string, int>>& sent) {
    std::string table = "Inter-|   Receive  |  Transmit\n face |bytes    packets |bytes\n";
    for (const auto& [name, bytes] : sent) {
      table += "  " + name + ": 1 2 3 4 5 6 7 8 " + std::to_string(bytes) + " 10 11\n";
      write("sys/class/net/" + name + "/type", name.starts_with("ib") ? "32\n" : "1\n");
    }
    write("proc/self/net/dev", table);
  }
  std::int64_t sent() const { return sent_bytes(root_); }

 private:
  test::Scratch scratch_;
  std::filesystem::path root_ = scratch_ / "root";
};

TEST(PathTest, bytes_of_interfaces_on_others_count_once) {
  Kernel kernel;
  kernel.count(
      {{"lo", 1}, {"eth0", 20}, {"veth-lo", 300}, {"bond0", 4000}, {"eth0.7", 50000}, {"br0", 6}});
  kernel.write("sys/class/net/bond0/lower_eth0", "");
  kernel.write("sys/class/net/eth0.7/lower_eth0", "");
  kernel.write("sys/class/net/br0/lower_veth-lo", "");
  kernel.write("sys/class/net/veth-lo/upper_br0", "");
  EXPECT_EQ(kernel.sent(), 320);
}

TEST(PathTest, bytes_of_ip_over_infiniband_count_once) {
  Kernel kernel;
  kernel.count({{"eth0", 20}, {"ib0", 400}});
  EXPECT_EQ(kernel.sent(), 420) << "no adapter counts";
  kernel.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "150\n");
  EXPECT_EQ(kernel.sent(), 620) << "words of 4 bytes";
}

TEST(PathTest, ranks_of_one_node_are_on_node_0_and_their_payload_is_summed) {
  const auto world = mpi::Communicator::world();
  PathMeter meter(world);
  EXPECT_EQ(meter.node_of_rank(), std::vector<int>(static_cast<std::size_t>(world.size()), 0));
  meter.begin();
  const Path path = meter.end(10);
  EXPECT_EQ(path.nodes, 1);
  EXPECT_EQ(path.payload_bytes, world.rank() == 0 ? 10 * world.size() : 0);
}

}  // namespace
}  // namespace halocline::measure
