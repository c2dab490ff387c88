package import DeviceKit
package import HAPModel

/// A light as the operator sees it.
package struct LightSnapshot: PropertyContainer, Equatable, Sendable {
    package let key: LightKey
    /// The name that controllers see.
    package let name: String
    /// Its name at the source.
    let sourceName: String
    package let kind: LightKind
    /// The bridge that shows it, from 1.
    package let bridge: Int
    package let aid: AccessoryID
    package let isReachable: Bool
    /// Its known values.
    package var values: PropertyValues
    package let suggestedRoom: String?
    /// Whether its state is the one last commanded, because it gives no answers or didn't answer the newest command.
    package let isOptimistic: Bool
}

/// Something about a light has changed.
package struct LightEvent: Equatable, Sendable {
    /// Who changed it.
    package enum Origin: String, Sendable {
        case device, controller, `operator`
        /// The bridge, which follows a curve that a home hub has written.
        case adaptiveLighting = "adaptive lighting"
    }

    package let light: LightSnapshot
    package let origin: Origin
}

/// The operator's settings for a light.
package struct LightOverride: Equatable, Sendable {
    package var name: String?
    package var isHidden: Bool
    package var tap: Tap
    /// The duration of its changes, if it can fade; `nil` for the light's default.
    package var transition: Duration?

    /// The meaning of a tap on a light's tile, for which the Home app writes full brightness together with `On`.
    package enum Tap: String, CaseIterable, Sendable {
        /// The brightness that was written.
        case full
        /// The level from before it was switched off.
        case restore
    }

    package init(name: String? = nil, isHidden: Bool = false, tap: Tap = .full, transition: Duration? = nil) {
        self.name = name
        self.isHidden = isHidden
        self.tap = tap
        self.transition = transition
    }
}
