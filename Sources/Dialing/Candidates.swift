/// The addresses of a peer, and the next one to try.
///
/// A *round* tries each address once, starting with the one at which the peer last proved its identity. At other
/// addresses, a different peer may answer. If its identity doesn't match, the round continues with the remaining
/// addresses.
package struct Candidates<Address: Hashable & Sendable>: Sendable {
    /// The longest delay between two attempts of a round (RFC 8305, 5).
    package static var headStart: Duration { .milliseconds(250) }

    /// All addresses, in the order in which to try them.
    package private(set) var all: [Address]
    /// The address at which the peer last proved its identity.
    package private(set) var lastGood: Address?
    /// The address that has answered in this round; `nil` if none has.
    package private(set) var current: Address?
    /// The addresses that were tried in this round.
    package private(set) var tried: [Address] = []
    private var untried: [Address] = []
    private var underWay: [Address] = []

    package init(_ all: [Address] = []) {
        self.all = all
        begin()
    }

    package mutating func begin() {
        if let lastGood, !all.contains(lastGood) { self.lastGood = nil }
        untried = (lastGood.map { [$0] } ?? []) + all.filter { $0 != lastGood }
        (underWay, tried, current) = ([], [], nil)
    }

    /// Replaces the addresses, and returns whether the new ones differ from the old ones.
    ///
    /// Added addresses are also tried in the current round.
    @discardableResult
    package mutating func update(_ addresses: [Address]) -> Bool {
        guard addresses != all else { return false }
        untried.removeAll { !addresses.contains($0) }
        let former = Set(all)
        untried += addresses.filter { !former.contains($0) && !untried.contains($0) && !tried.contains($0) }
        all = addresses
        return true
    }

    /// Returns the address to try next, or `nil` if all were tried in this round.
    package mutating func next() -> Address? {
        guard !untried.isEmpty else { return nil }
        let address = untried.removeFirst()
        underWay.append(address)
        if !tried.contains(address) { tried.append(address) }
        return address
    }

    /// Records that an address was the first to answer.
    ///
    /// The attempts that are still unanswered are repeated in this round, after all other addresses.
    package mutating func answered(_ address: Address) {
        current = address
        untried += underWay.filter { $0 != address && !untried.contains($0) }
        underWay = []
    }

    /// Abandons the current address and continues the round.
    package mutating func proceed() { current = nil }

    /// Records that the peer at the current address has proved its identity.
    package mutating func confirm() { lastGood = current ?? lastGood }

    /// A Boolean value that indicates whether this round has tried all addresses.
    package var isExhausted: Bool { untried.isEmpty }
}
