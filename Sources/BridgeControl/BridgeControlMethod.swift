/// What can be asked at the operator's socket.
package enum BridgeControlMethod: String, Sendable, CaseIterable {
    case status
    /// What ``status`` leaves out and `doctor` needs.
    case particulars
    /// Parameter `force`.
    case setup
    case lights
    /// Parameters `key`, `change`.
    case setLight = "lights.set"
    /// Parameter `key`.
    case forgetLight = "lights.forget"
    /// Parameters `key`, `change`.
    case simulate
    case pairings
    /// Parameter `id`.
    case removePairing = "pairings.remove"
    case removeAllPairings = "pairings.removeAll"
    case unlockPairing = "pairings.unlock"
    case reload
    case reset
    /// The bridge calls ``writePart`` for each part before it answers.
    case backup
    /// Parameter `size`; the bridge calls ``readPart`` for each part before it answers.
    case restore
    /// Is answered when the bridge goes down; until then it sends notifications ``watching``, once, and ``changed``.
    case watch

    /// Nothing that happens from now on will be missed.
    package static let watching = "watch.started"
    /// A ``LightEvent``.
    package static let changed = "watch.changed"

    /// Asked of the operator's side: keep these bytes.
    ///
    /// Parameter `data`, in base64.
    package static let writePart = "part.write"
    /// Asked of the operator's side: bytes from `offset` on, at most ``partSize``.
    ///
    /// The answer is `data`, in base64.
    package static let readPart = "part.read"
    /// How many bytes of a file travel at once; in base64 they fit into a line.
    package static let partSize = 256 << 10
    /// The largest file that travels, in bytes.
    package static let maximumFileSize = 64 << 20
}
