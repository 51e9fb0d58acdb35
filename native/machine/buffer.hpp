// A growing array on 64-byte boundaries: the one container of the tier files (see tiers.hpp).
#pragma once
#include <cstdlib>
#if defined(_WIN32)
#include <malloc.h>
#endif
#include <cstring>
#include <new>
#include <type_traits>

#include "machine/tiers.hpp"

namespace markhood::MARKHOOD_TIER {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(data_); }

    // Makes room for n elements; those that were there before keep their values.
    T* resize(std::size_t n) {
        if (n > capacity_) {
            const std::size_t capacity = n > 2 * capacity_ ? n : 2 * capacity_;
            const std::size_t bytes = (capacity * sizeof(T) + 63) / 64 * 64;
            T* grown = static_cast<T*>(allocate(bytes));
            if (!grown) throw std::bad_alloc();
            if (size_) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
            release(data_);
            data_ = grown;
            capacity_ = capacity;
        }
        size_ = n;
        return data_;
    }
    // The same with all elements zero.
    T* zeros(std::size_t n) {
        if (n) std::memset(static_cast<void*>(resize(n)), 0, n * sizeof(T));
        size_ = n;
        return data_;
    }
    void push(T value) {
        resize(size_ + 1);
        data_[size_ - 1] = value;
    }
    void copy(const Buffer& other) {
        resize(other.size_);
        if (size_) std::memcpy(static_cast<void*>(data_), other.data_, size_ * sizeof(T));
    }
    void swap(Buffer& other) {
        T* data = data_;
        data_ = other.data_;
        other.data_ = data;
        const std::size_t size = size_, capacity = capacity_;
        size_ = other.size_;
        capacity_ = other.capacity_;
        other.size_ = size;
        other.capacity_ = capacity;
    }
    std::size_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

  private:
    // On 64-byte boundaries; `bytes` is a multiple of 64. Windows has its own way.
#if defined(_WIN32)
    static void* allocate(std::size_t bytes) { return _aligned_malloc(bytes, 64); }
    static void release(void* data) { _aligned_free(data); }
#else
    static void* allocate(std::size_t bytes) { return std::aligned_alloc(64, bytes); }
    static void release(void* data) { std::free(data); }
#endif

    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace markhood::MARKHOOD_TIER
