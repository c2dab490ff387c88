package import HAPModel
package import LightKit

/// A light as the operator sees it.
package struct LightSnapshot: PropertyContainer, Equatable, Sendable {
    package let key: LightKey
    /// The name that controllers see.
    package let name: String
    /// What the source calls it.
    let sourceName: String
    package let kind: LightKind
    /// The bridge that shows it, from 1.
    package let bridge: Int
    package let aid: AccessoryID
    package let isReachable: Bool
    /// What it is known to be, without what it doesn't know at present.
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

/// What the operator wants otherwise than the light's source says.
package struct LightOverride: Equatable, Sendable {
    package var name: String?
    package var isHidden: Bool
    package var tap: Tap
    /// How long its changes take, if it can fade; `nil`: what the light itself is set to.
    package var transition: Duration?

    /// What a tap on a light's tile means, for which the Home app writes full brightness together with `On`.
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
