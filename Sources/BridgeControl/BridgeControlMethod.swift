/// What can be asked at the operator's socket.
package enum BridgeControlMethod: String, Sendable, CaseIterable {
    case status
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
    /// Is answered when the bridge goes down; until then it sends notifications ``watching``, once, and ``changed``.
    case watch

    /// Nothing that happens from now on will be missed.
    package static let watching = "watch.started"
    /// A ``LightEvent``.
    package static let changed = "watch.changed"
}
