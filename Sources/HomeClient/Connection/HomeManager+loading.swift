import BoundedJSON
import LineRPC
import Logging

extension HomeManager {
    /// All that is known may be void.
    func reload() {
        replica.becameStale()
        needsLoad = true
        loadFailure = nil
        changed()
    }

    /// Loads the homes whenever that is due, as long as the connection lasts.
    func keepLoaded(on peer: LineRPCPeer) async {
        while await wait(atMost: nil, for: { needsLoad ? true : nil }) != nil {
            needsLoad = false
            do throws(HomeError) {
                let graph = try await load(on: peer)
                // What was loaded while something else came up may be without it.
                guard let graph, !needsLoad else { continue }
                let update = replica.loaded(graph, isDesired: observations.reconciler.isDesired)
                apply(update)
                if !update.isGap { observeAgain() }
                changed()
            } catch {
                guard self.peer === peer else { return }
                if needsLoad { continue }
                let isDenied = session?.status == .determined || error.code == .homeAccessNotAuthorized
                loadFailure = isDenied ? notAuthorized : error
                notifyWaiters()
                guard !isDenied else { continue }
                logger.info("home loading failed", metadata: ["reason": "\(error)"])
                try? await Task.sleep(for: timeouts.reload)
                needsLoad = true
            }
        }
    }

    /// The homes with their accessories; `nil` if they changed meanwhile in a way that needs another attempt.
    private func load(on peer: LineRPCPeer) async throws(HomeError) -> HomeGraph? {
        // The daemon bounds how long it waits for the user; no other caller waits here.
        let reply = try await call(.homes, on: peer, deadline: nil) { json throws(HomeError) in
            let reply = try Self.understood { () throws(HomeError) in try HomesReply(json: json) }
            self.replica.loadBegan()
            return reply
        }
        var accessories: [Home.ID: [Accessory]] = [:]
        for home in reply.homes {
            var next: Int? = 0
            while let offset = next {
                let request = AccessoryBatchRequest(home: home.id, revision: home.revision, offset: offset)
                do throws(HomeError) {
                    let page = try await call(.accessories(request), on: peer, deadline: timeouts.call) {
                        json throws(HomeError) in
                        try Self.understood { () throws(HomeError) in try AccessoryBatch(json: json) }
                    }
                    accessories[home.id, default: []] += page.accessories
                    // A page that does not lead on would have us ask for ever.
                    guard page.next ?? .max > offset else { throw HomeError(.protocolMismatch) }
                    next = page.next
                } catch {
                    guard error.code == .operationInProgress || error.code == .notFound else { throw error }
                    needsLoad = true
                    return nil
                }
            }
        }
        return HomeGraph(reply, accessories: accessories)
    }

    /// Reads what the daemon sent.
    ///
    /// - Throws: `protocolMismatch` if it cannot be read.
    static func understood<Message>(_ read: () throws(HomeError) -> Message) throws(HomeError) -> Message {
        do { return try read() } catch { throw error.asMismatch }
    }
}
