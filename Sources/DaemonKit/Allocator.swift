internal import CMalloc

/// How a daemon's memory is kept.
package enum Allocator {
    /// Lets all threads share one heap; to be called before there are any.
    ///
    /// The C library gives each thread a heap of its own, so that they do not wait for each other. A daemon whose work is
    /// one event loop has little to gain from that, and a tenth of its memory to lose: what is free in one heap serves no
    /// other.
    package static func shareOneHeap() { mallopt(M_ARENA_MAX, 1) }

    /// Gives the system back whole pages that are free; less than a millisecond for some megabytes.
    package static func giveBack() { malloc_trim(0) }
}
