extension AsyncStream<Void> {
    /// True when the stream ends within this time and nobody cancels the wait.
    func ends(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in self {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            let ended = await group.next() ?? false
            group.cancelAll()
            return ended
        }
    }
}
