import HomeModel
import TestTimeouts
import Testing

@testable import homeweb

@Suite("The order of changes of scenes", .timeout)
struct SceneTurnsTests {
    private let scenes: [ActionSet.ID] = (0..<2).map { _ in
        var random = SystemRandomNumberGenerator()
        return ActionSet.ID(using: &random)
    }

    @Test("a change that waits for consent delays changes of the same scene, but not of others")
    func consent() async throws {
        let turns = SceneTurns(waitingLimit: 1)
        let (consent, answer) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (order, finished) = AsyncStream.makeStream(of: String.self)
        let (first, second) = (scenes[0], scenes[1])
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await turns.run(first) {
                    beginning.yield()
                    for await _ in consent { break }
                    finished.yield("asked")
                }
            }
            for await _ in begun { break }
            group.addTask { try await turns.run(first) { _ = finished.yield("waited") } }
            try await turns.run(second) { _ = finished.yield("other") }
            answer.yield()
            try await group.waitForAll()
        }
        finished.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == ["other", "asked", "waited"])
    }
}
