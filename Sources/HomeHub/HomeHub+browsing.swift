import BoundedJSON
import Discovery
import HAPController
import HomeModel
import Logging

extension HomeHub {
    /// Follows the accessories that the networks show.
    func watchBrowser() async {
        do throws(DiscoveryError) {
            try browser.start()
        } catch {
            logger.error("accessories cannot be searched for", metadata: ["error": "\(error)"])
        }
        // What comes may wait for its turn here until it is old.
        for await _ in browser.snapshots() {
            searchesSee()
            tellStrays()
            for (device, connection) in connections { await connection.link.appeared(browser.snapshot[device]) }
        }
    }

    /// A session begins to search; what is there already it is told behind the answer.
    ///
    /// While nothing can be found no search begins, but those that were begun before wait for better times.
    func startBrowsing(_ call: Call) {
        if let obstacle = browser.snapshot.obstacle {
            answer(call, with: HomeError(.accessoryDiscoveryFailed, detail: obstacle))
            return
        }
        answer(call, .success([:]))
        guard feed.isAuthorized(call.session) else { return }
        searchesSee()
        tell(searches.start(call.session))
    }

    /// What the networks show, or what we are paired with, is another.
    func searchesSee() {
        tell(searches.see(browser.snapshot.accessories.filter(isNew).map { HomeModel.DiscoveredAccessory($0) }))
    }

    /// Whether an accessory could be added: by what it says, and by what we know.
    func isNew(_ accessory: HAPController.DiscoveredAccessory) -> Bool {
        !accessory.isPaired && !paired.contains(accessory.id)
    }

    private func tell(_ news: [Searches.News]) {
        for news in news { perform(feed.tell(news.notification, to: [news.session])) }
    }
}

extension HomeModel.DiscoveredAccessory {
    /// What apps see of an accessory on the network.
    init(_ accessory: HAPController.DiscoveredAccessory) {
        self.init(
            id: accessory.id, name: accessory.name, category: accessory.category, model: accessory.model,
            setupHash: accessory.setupHash, vendor: accessory.vendor)
    }
}
