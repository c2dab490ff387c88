internal import CMalloc

/// Settings of a daemon's heap.
package enum Allocator {
    /// The amount of free memory that may remain at the end of the heap, in bytes.
    ///
    /// Memory beyond it is returned to the system immediately.
    private static let spare: Int32 = 1 << 20

    /// Configures the heap.
    ///
    /// Call it before the first thread starts.
    ///
    /// All threads share one heap. By default, the C library creates one per thread to reduce contention. With separate
    /// heaps, a daemon that mainly runs one event loop would gain little and need a tenth more memory, because free
    /// memory in one heap can't be used for another.
    ///
    /// Some free memory is kept until ``giveBack()`` is called. A response with the accessory database of 100 lights
    /// temporarily needs half a megabyte of buffers. With the C library's default limit, these buffers would be
    /// returned after each response, and then requested from the kernel again, page by page.
    package static func setUp() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, spare)
        mallopt(M_MMAP_THRESHOLD, spare)
    }

    /// Returns free pages to the system.
    ///
    /// This takes less than a millisecond for several megabytes.
    package static func giveBack() { malloc_trim(0) }
}
