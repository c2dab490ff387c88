internal import CSodium

/// Returns whether two byte strings are equal.
///
/// For equal lengths, the duration doesn't depend on the content.
func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return sodium_memcmp(a, b, a.count) == 0
}
