import BoundedJSON
import LineRPC
import Logging

extension HomeManager {
    /// Marks the copy of the homes as possibly outdated, and loads them again.
    func reload() {
        replica.becameStale()
        needsLoad = true
        loadFailure = nil
        changed()
    }

    /// Loads the homes whenever necessary, as long as the connection lasts.
    func keepLoaded(on peer: LineRPCPeer) async {
        while await wait(atMost: nil, for: { needsLoad ? true : nil }) != nil {
            needsLoad = false
            do throws(HomeError) {
                let graph = try await load(on: peer)
                // The loaded homes may lack a change that arrived during the load.
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

    /// Loads the homes with their accessories; returns `nil` if they changed during the load, so that another attempt
    /// is necessary.
    private func load(on peer: LineRPCPeer) async throws(HomeError) -> HomeGraph? {
        // There is no deadline: the daemon limits how long it waits for the user's permission, and no caller waits for
        // this load.
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
                    // A page that doesn't advance would cause an endless loop.
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

    /// Decodes a message from the daemon.
    ///
    /// - Throws: `protocolMismatch` if decoding fails.
    static func understood<Message>(_ read: () throws(HomeError) -> Message) throws(HomeError) -> Message {
        do { return try read() } catch { throw error.asMismatch }
    }
}
