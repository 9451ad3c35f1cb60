#include "halocline/mpi/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

constexpr std::size_t most_bytes = INT_MAX;  // that MPI counts

/// The errors of a communicator are returned instead of ending the program.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_get_errhandler(communicator_, &before_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    MPI_Comm_set_errhandler(communicator_, before_);
    MPI_Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace

Communicator::Communicator(MPI_Comm owned, std::shared_ptr<BufferedSends> buffered_sends)
    : handle_(owned), buffered_sends_(std::move(buffered_sends)) {
  HALOCLINE_MPI(MPI_Comm_rank(handle_, &rank_));
  HALOCLINE_MPI(MPI_Comm_size(handle_, &size_));
}

Communicator::~Communicator() { release(); }

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      buffered_sends_(std::move(other.buffered_sends_)),
      rank_(other.rank_),
      size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  if (this != &other) {
    release();
    handle_ = std::exchange(other.handle_, MPI_COMM_NULL);
    buffered_sends_ = std::move(other.buffered_sends_);
    rank_ = other.rank_;
    size_ = other.size_;
  }
  return *this;
}

void Communicator::release() noexcept {
  if (handle_ != MPI_COMM_NULL && may_wait()) {
    MPI_Comm_free(&handle_);
  }
}

Communicator Communicator::world() {
  MPI_Comm copy = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  return {copy, BufferedSends::of_process()};
}

Communicator Communicator::duplicate_of(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) {
    throw Error("the communicator is MPI_COMM_NULL; only its ranks may call; pass one they are in");
  }
  int between_groups = 0;
  HALOCLINE_MPI(MPI_Comm_test_inter(handle, &between_groups));
  if (between_groups != 0) {
    throw Error("the communicator is between two groups; merge them with MPI_Intercomm_merge");
  }
  MPI_Comm copy = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_dup(handle, &copy));
  Communicator duplicate(copy, BufferedSends::of_process());
  HALOCLINE_MPI(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  return duplicate;
}

bool Communicator::same_ranks(const Communicator& other) const {
  int relation = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare(handle_, other.handle_, &relation));
  return relation == MPI_IDENT || relation == MPI_CONGRUENT;
}

bool Communicator::includes(const Communicator& other) const {
  MPI_Group own = MPI_GROUP_NULL;
  MPI_Group others = MPI_GROUP_NULL;
  HALOCLINE_MPI(MPI_Comm_group(handle_, &own));
  HALOCLINE_MPI(MPI_Comm_group(other.handle_, &others));
  std::vector<int> ranks(static_cast<std::size_t>(other.size_));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> here(ranks.size());
  HALOCLINE_MPI(MPI_Group_translate_ranks(others, other.size_, ranks.data(), own, here.data()));
  HALOCLINE_MPI(MPI_Group_free(&others));
  HALOCLINE_MPI(MPI_Group_free(&own));
  return std::ranges::find(here, MPI_UNDEFINED) == here.end();
}

Communicator Communicator::duplicate() const {
  MPI_Comm copy = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_dup(handle_, &copy));
  return {copy, buffered_sends_};
}

Communicator Communicator::graph(std::span<const int> sources,
                                 std::span<const int> destinations) const {
  constexpr int keep_order = 0;
  MPI_Comm graph = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Dist_graph_create_adjacent(
      handle_, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
      static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
      keep_order, &graph));
  return {graph, buffered_sends_};
}

Communicator Communicator::node() const {
  MPI_Comm part = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part));
  return {part, buffered_sends_};
}

Communicator Communicator::part(int colour) const {
  MPI_Comm part = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split(handle_, colour, rank_, &part));
  return {part, buffered_sends_};
}

std::optional<Communicator> Communicator::split(int colour) const {
  if (colour >= 0) {
    return part(colour);
  }
  MPI_Comm none = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split(handle_, MPI_UNDEFINED, rank_, &none));
  return std::nullopt;
}

std::vector<int> Communicator::all_gather(int number) const {
  std::vector<int> numbers(static_cast<std::size_t>(size_));
  HALOCLINE_MPI(MPI_Allgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, handle_));
  return numbers;
}

void Communicator::barrier() const { HALOCLINE_MPI(MPI_Barrier(handle_)); }

std::int64_t Communicator::broadcast(std::int64_t number) const {
  HALOCLINE_MPI(MPI_Bcast(&number, 1, MPI_INT64_T, 0, handle_));
  return number;
}

std::string Communicator::broadcast(std::string text, int root) const {
  auto length = static_cast<std::int64_t>(text.size());
  HALOCLINE_MPI(MPI_Bcast(&length, 1, MPI_INT64_T, root, handle_));
  text.resize(static_cast<std::size_t>(length));
  for (std::size_t begin = 0; begin < text.size(); begin += most_bytes) {
    const auto count = static_cast<int>(std::min(most_bytes, text.size() - begin));
    HALOCLINE_MPI(MPI_Bcast(text.data() + begin, count, MPI_CHAR, root, handle_));
  }
  return text;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  if (const std::uint64_t all_bytes = sum(text.size()); all_bytes > most_bytes) {
    throw Error("the ranks' texts have " + std::to_string(all_bytes) +
                " bytes in all; allowed: up to " + std::to_string(most_bytes) +
                "; shorten them or use fewer ranks");
  }
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
  HALOCLINE_MPI(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, handle_));
  std::vector<int> offsets(lengths.size());
  int total = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    offsets[rank] = total;
    total += lengths[rank];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  HALOCLINE_MPI(MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                            offsets.data(), MPI_CHAR, 0, handle_));
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::vector<double> Communicator::gather(std::span<const double> numbers) const {
  const int count = static_cast<int>(numbers.size());
  std::vector<double> all(rank_ == 0 ? numbers.size() * static_cast<std::size_t>(size_) : 0);
  HALOCLINE_MPI(
      MPI_Gather(numbers.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, handle_));
  return all;
}

void Communicator::maximum(std::span<std::uint8_t> flags) const {
  HALOCLINE_MPI(MPI_Allreduce(MPI_IN_PLACE, flags.data(), static_cast<int>(flags.size()),
                              MPI_UINT8_T, MPI_MAX, handle_));
}

std::uint64_t Communicator::sum(std::uint64_t number) const {
  HALOCLINE_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_SUM, handle_));
  return number;
}

std::int64_t Communicator::maximum(std::int64_t number) const {
  HALOCLINE_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MAX, handle_));
  return number;
}

void Communicator::notify(int peer) const {
  HALOCLINE_MPI(MPI_Send(nullptr, 0, MPI_BYTE, peer, tag::notice, handle_));
}

bool Communicator::notified(int peer) const {
  int arrived = 0;
  HALOCLINE_MPI(MPI_Iprobe(peer, tag::notice, handle_, &arrived, MPI_STATUS_IGNORE));
  return arrived != 0;
}

void Communicator::receive_notice(int peer) const {
  HALOCLINE_MPI(MPI_Recv(nullptr, 0, MPI_BYTE, peer, tag::notice, handle_, MPI_STATUS_IGNORE));
}

void Communicator::sleep_until_notified(int peer, const std::function<void()>& after_each) const {
  constexpr std::chrono::microseconds nap{50};
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Irecv(nullptr, 0, MPI_BYTE, peer, tag::notice, handle_, &request));
  int arrived = simulated ? 1 : 0;  // waiting costs a simulated rank nothing
  while (arrived == 0) {
    std::this_thread::sleep_for(nap);
    after_each();
    HALOCLINE_MPI(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE));
  }
  HALOCLINE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

std::shared_ptr<BufferedSends> BufferedSends::of_process() {
  static std::mutex mutex;
  static std::weak_ptr<BufferedSends> known;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<BufferedSends> found = known.lock();
  if (found == nullptr) {
    found = std::make_shared<BufferedSends>();
    known = found;
  }
  return found;
}

BufferedSends::~BufferedSends() {
  if (may_wait()) {
    detach();
  } else if (!buffer_.empty()) {
    new std::vector<std::byte>(std::move(buffer_));  // NOLINT: MPI may still send from it
  }
}

void BufferedSends::detach() noexcept {
  if (!buffer_.empty()) {
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(static_cast<void*>(&address), &size);
    buffer_.clear();
  }
}

void BufferedSends::attach(std::size_t bytes) {
  buffer_.resize(bytes);
  const ErrorsReturned of_self(MPI_COMM_SELF);  // MPI 4
  const ErrorsReturned of_world(MPI_COMM_WORLD);
  if (MPI_Buffer_attach(buffer_.data(), static_cast<int>(buffer_.size())) != MPI_SUCCESS) {
    buffer_.clear();
    throw Error(
        "MPI has no room for a buffer for buffered sends, as when the program attached one; detach "
        "it, or use another protocol");
  }
  taken_bytes_ = 0;
}

void BufferedSends::empty() {
  if (under_way_ > 0) {
    throw Error(
        "the buffer for buffered sends is full while another exchange is under way; finish that "
        "first, or use another protocol");
  }
  const std::size_t bytes = buffer_.size();
  detach();
  attach(bytes);
}

std::size_t BufferedSends::asked_bytes(std::span<const std::size_t> message_bytes) const {
  if (under_way_ > 0) {
    throw Error("buffered sends while an exchange by them is under way; finish that first");
  }
  std::size_t asked_bytes = 0;
  for (const std::size_t bytes : message_bytes) {
    asked_bytes += bytes + MPI_BSEND_OVERHEAD;
  }
  if (reserved_bytes_ + asked_bytes > most_bytes) {
    throw Error("buffered sends need a buffer of " + std::to_string(reserved_bytes_ + asked_bytes) +
                " bytes; allowed: up to " + std::to_string(most_bytes) + "; use another protocol");
  }
  return asked_bytes;
}

void BufferedSends::require_room(std::span<const std::size_t> message_bytes) {
  asked_bytes(message_bytes);
  if (buffer_.empty()) {
    attach(MPI_BSEND_OVERHEAD + 1);  // whether it may; SMPI has an overhead of 0
    detach();
  }
}

std::size_t BufferedSends::reserve(std::span<const std::size_t> message_bytes) {
  const std::size_t asked = asked_bytes(message_bytes);
  // Thousands of small messages, or two large ones where possible, so that it is seldom full.
  constexpr std::size_t smallest_bytes = 262144;
  const std::size_t reserved = reserved_bytes_ + asked;
  const std::size_t needed = std::clamp(2 * reserved, smallest_bytes, most_bytes);
  if (needed > buffer_.size()) {
    detach();
    attach(needed);
  }
  reserved_bytes_ = reserved;
  ++reservations_;
  return asked;
}

void BufferedSends::release(std::size_t reserved_bytes) {
  reserved_bytes_ -= reserved_bytes;
  if (--reservations_ == 0 && may_wait()) {
    detach();
  }
}

}  // namespace halocline::mpi
