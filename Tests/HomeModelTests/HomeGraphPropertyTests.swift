import BoundedJSON
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@Suite("Any sequence of writes") struct HomeGraphPropertyTests {
    @Test("keeps every invariant, and a copy that applies the transactions stays equal", arguments: 1...8)
    func sequences(seed: UInt64) throws {
        var homes = RandomHomes(seed: seed)
        var replica = HomeGraph()
        var (commits, refusals) = (0, 0)
        var (formerly, now): (Set<String>, Set<String>) = ([], [])
        for _ in 0..<400 {
            let before = homes.graph
            let transaction: HomeTransaction?
            do {
                transaction = try homes.change()
            } catch is HomeError {
                refusals += 1
                transaction = nil
            }
            if let write = homes.lastWrite {
                #expect(try HomeRequest(method: write.method, params: HomeRequest.write(write).params) == .write(write))
            }
            guard let transaction else {
                if homes.graph != before { Issue.record("something changed without a transaction") }
                continue
            }
            commits += 1
            let names = transaction.changes.map(\.event.name)
            #expect(transaction.revision == (before.home(transaction.home)?.revision ?? 0) + 1)
            let received = try HomeTransaction(json: JSONValue(parsing: transaction.json.text, maximumLength: 1 << 24))
            let application = replica.apply(received)
            #expect(application == .applied)
            if replica != homes.graph { Issue.record("the copy differs after \(names)") }
            let breaches = homes.graph.breaches
            if !breaches.isEmpty { Issue.record("\(breaches) after \(names)") }
            let identities = Set(homes.graph.identities)
            let new = identities.subtracting(now)
            #expect(new.isDisjoint(with: formerly), "an identity is used again")
            formerly.formUnion(new)
            now = identities
        }
        #expect(commits > 60 && refusals > 60)
    }
}
