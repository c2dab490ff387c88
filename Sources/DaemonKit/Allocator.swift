internal import CMalloc

/// How a daemon's memory is kept.
package enum Allocator {
    /// What may be free at the heap's end before it is given back at once, in bytes.
    private static let spare: Int32 = 1 << 20

    /// Sets the heap up; to be called before there are threads.
    ///
    /// All threads share one heap. The C library gives each one of its own, so that they do not wait for each other; a
    /// daemon whose work is one event loop has little to gain from that, and a tenth of its memory to lose: what is free
    /// in one heap serves no other.
    ///
    /// Some free memory is kept until ``giveBack()``. The accessory database of 100 lights passes through half a megabyte
    /// of buffers; with the C library's own limit they were given back after each answer, and the next one had them from
    /// the kernel anew, page by page.
    package static func setUp() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, spare)
        mallopt(M_MMAP_THRESHOLD, spare)
    }

    /// Gives the system back whole pages that are free; less than a millisecond for some megabytes.
    package static func giveBack() { malloc_trim(0) }
}
