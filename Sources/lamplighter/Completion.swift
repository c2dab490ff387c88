import ArgumentParser
import AsyncKit
import BridgeControl
import LineRPC

extension CompletionKind {
    /// Completes the names and keys of the daemon's devices.
    static var devices: CompletionKind {
        asking { devices, _, prefix in
            DeviceCompletion.devices(devices, prefix: prefix)
        } from: {
            try await $0.lights()
        }
    }

    /// Completes a device, and then the words for its changes.
    static func changes(_ purpose: LightChange.Purpose) -> CompletionKind {
        asking { devices, words, prefix in
            DeviceCompletion.changes(purpose, of: devices, words: words, prefix: prefix)
        } from: {
            try await $0.lights()
        }
    }

    /// Completes the identifiers of paired controllers.
    static var pairings: CompletionKind {
        asking { ids, _, _ in
            ids
        } from: {
            try await $0.pairings().map(\.id)
        }
    }

    /// Completes the ids of configured drivers.
    static var drivers: CompletionKind {
        asking { ids, _, _ in
            ids
        } from: {
            try await $0.status().drivers.map(\.id)
        }
    }

    /// Completes words that the daemon provides.
    ///
    /// There are no completions if the daemon is unavailable or takes longer than a second.
    private static func asking<Answer: Sendable>(
        _ candidates: @escaping @Sendable (Answer, _ words: [String], _ prefix: String) -> [String],
        from question: @escaping @Sendable (BridgeControlClient) async throws -> Answer
    ) -> CompletionKind {
        .custom { words, _, prefix async in
            let control = zip(words, words.dropFirst()).first { $0.0 == "--control" }?.1
            let location = SocketLocation(of: .bridge, given: control)
            let answer = try? await withTimeLimit(.seconds(1)) {
                try await BridgeControlClient.connect(to: location, question)
            }
            return answer.map { candidates($0, words, prefix) } ?? []
        }
    }
}

/// The words that complete a command about devices.
enum DeviceCompletion {
    /// Returns the names of the devices, or their keys if the typed text has a slash.
    static func devices(_ devices: [LightListing], prefix: String) -> [String] {
        prefix.contains("/") ? devices.map(\.key) : devices.map { $0.name.forShell } + devices.map(\.key)
    }

    /// Returns the words for a change if a device was typed before the cursor, otherwise the devices.
    static func changes(
        _ purpose: LightChange.Purpose, of devices: [LightListing], words: [String], prefix: String
    ) -> [String] {
        var typed = Array(words.drop { $0 != "set" && $0 != "simulate" }.dropFirst())
        if typed.last == prefix { typed.removeLast() }
        guard !typed.isEmpty, let (device, _) = try? devices.device(namedFirst: typed),
            let deviceWords = DeviceWord(for: device, purpose)
        else { return self.devices(devices, prefix: prefix) }
        guard let end = prefix.firstIndex(of: "=") else {
            return deviceWords.all + deviceWords.names(purpose).map { $0 + "=" }
        }
        let name = String(prefix[..<end])
        return deviceWords.choices(of: name).map { "\(name)=\($0)" }
    }
}

extension String {
    /// The name in a form that the shell can insert.
    ///
    /// bash inserts names unchanged, so remove spaces and apostrophes, which are optional in names. Other shells quote
    /// names themselves.
    fileprivate var forShell: String {
        CompletionShell.requesting == .bash ? filter { $0 != " " && $0 != "'" } : self
    }
}
