// What the chain over graphs keeps: values by 64-bit keys.
#pragma once
#include "machine/buffer.hpp"

namespace markhood::MARKHOOD_TIER {

// The finaliser of splitmix64: a number for a number, all bits mixed.
static inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Values by 64-bit keys, in open addressing; to be emptied when `most` are there.
template <class Value>
class Store {
  public:
    explicit Store(std::size_t most) : most_(most) { clear(1024); }

    const Value* find(std::uint64_t key) const {
        for (std::size_t at = key & mask_;; at = (at + 1) & mask_) {
            if (keys_[at] == key) return &values_[at];
            if (keys_[at] == kNone) return nullptr;
        }
    }

    template <class Use>
    void each(Use use) const {
        for (std::size_t at = 0; at <= mask_; ++at)
            if (keys_[at] != kNone) use(keys_[at], values_[at]);
    }

    bool is_full() const { return n_ >= most_; }
    void clear() { clear(mask_ + 1); }

    void add(std::uint64_t key, const Value& value) {
        if (2 * (n_ + 1) > mask_) grow();
        put(key, value);
    }

    static std::uint64_t key(std::uint64_t number) { return number == kNone ? 0 : number; }

  private:
    static constexpr std::uint64_t kNone = UINT64_MAX;

    void put(std::uint64_t key, const Value& value) {
        std::size_t at = key & mask_;
        while (keys_[at] != kNone && keys_[at] != key) at = (at + 1) & mask_;
        n_ += keys_[at] == kNone;
        keys_[at] = key;
        values_[at] = value;
    }

    void clear(std::size_t size) {
        keys_.resize(size);
        values_.resize(size);
        std::memset(keys_.data(), 0xff, size * sizeof(std::uint64_t));
        mask_ = size - 1;
        n_ = 0;
    }

    void grow() {
        Buffer<std::uint64_t> keys;
        Buffer<Value> values;
        keys.swap(keys_);
        values.swap(values_);
        clear(2 * keys.size());
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (keys[k] != kNone) put(keys[k], values[k]);
    }

    std::size_t most_, mask_ = 0, n_ = 0;
    Buffer<std::uint64_t> keys_;
    Buffer<Value> values_;
};

}  // namespace markhood::MARKHOOD_TIER
