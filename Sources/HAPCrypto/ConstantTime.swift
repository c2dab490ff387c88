internal import CSodium

/// Compares two byte strings of equal length in constant time.
func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return sodium_memcmp(a, b, a.count) == 0
}
