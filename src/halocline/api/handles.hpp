#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::api {

/// A program's objects of one type, by handle. A handle is a number that is never reused, so a
/// released or invalid one is recognised without dereferencing it.
template <class Object>
class Handles {
 public:
  /// Never destroyed: at program exit the remaining objects can no longer free MPI's resources.
  static Handles& all() {
    static auto& handles = *new Handles;
    return handles;
  }

  template <class Handle>
  void put(std::shared_ptr<Object> object, Handle* handle) {
    const std::scoped_lock lock(mutex_);
    const std::uintptr_t number = step * (++given_) + Object::number;
    objects_.emplace(number, std::move(object));
    *handle = reinterpret_cast<Handle>(number);  // NOLINT: never followed
  }

  /// Throws Error unless it is the handle of a live object of this type.
  template <class Handle>
  std::shared_ptr<Object> get(Handle handle) const {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);  // NOLINT
    const std::scoped_lock lock(mutex_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) {
      throw Error(problem(number));
    }
    return found->second;
  }

  template <class Handle>
  std::shared_ptr<Object> take(Handle* handle) {
    if (handle == nullptr) {
      throw Error("the address of the " + name() + " to free is NULL; pass its address");
    }
    std::shared_ptr<Object> object = get(*handle);
    const std::scoped_lock lock(mutex_);
    objects_.erase(reinterpret_cast<std::uintptr_t>(*handle));  // NOLINT
    *handle = nullptr;
    return object;
  }

 private:
  static std::string name() { return Object::name; }

  std::string problem(std::uintptr_t number) const {
    if (number == 0) {
      return "the " + name() + " is NULL; create one first";
    }
    if (number % step == Object::number && number / step <= given_) {
      return "the " + name() + " was released; free it later, or create another";
    }
    return "what is passed as " + name() + " is invalid; pass one that was created as such";
  }

  static constexpr std::uintptr_t step = 16;  // of the types' numbers

  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::shared_ptr<Object>> objects_;
  std::uintptr_t given_ = 0;
};

template <class Object, class Handle>
std::shared_ptr<Object> object_of(Handle handle) {
  return Handles<Object>::all().get(handle);
}

}  // namespace halocline::api
