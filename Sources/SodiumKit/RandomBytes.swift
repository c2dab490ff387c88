internal import CSodium

/// Randomness from the operating system's generator.
package enum RandomBytes {
    package static func make(count: Int) -> [UInt8] {
        Sodium.ready
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// A number below `bound`, each equally likely.
    package static func uniform(below bound: UInt32) -> UInt32 {
        Sodium.ready
        return randombytes_uniform(bound)
    }
}
