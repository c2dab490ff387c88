/// The addresses of a peer, and the next one to try.
///
/// A *round* tries each address once, starting with the last good one. A different peer may answer at an address. If
/// its identity doesn't match, the round continues with the remaining addresses.
package struct Candidates<Address: Hashable & Sendable>: Sendable {
    /// The longest delay between two attempts of a round (RFC 8305, 5).
    package static var headStart: Duration { .milliseconds(250) }

    /// All addresses, in the order in which to try them.
    package private(set) var all: [Address]
    /// The address at which the peer last proved its identity.
    package private(set) var lastGood: Address?
    /// The address that has answered in this round, if any.
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

    /// Replaces the addresses and returns whether they differ.
    ///
    /// New ones are also tried in the current round.
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
    /// The unanswered attempts are repeated in this round, after all other addresses.
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
