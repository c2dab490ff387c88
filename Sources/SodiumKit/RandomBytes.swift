internal import CSodium

/// Random numbers from the operating system's generator.
package enum RandomBytes {
    package static func make(count: Int) -> [UInt8] {
        Sodium.ready
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Returns a uniformly distributed number below `bound`.
    package static func uniform(below bound: UInt32) -> UInt32 {
        Sodium.ready
        return randombytes_uniform(bound)
    }
}
