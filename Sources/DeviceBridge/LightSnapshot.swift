package import DeviceKit
package import HAPModel

/// The operator's view of a light.
package struct LightSnapshot: PropertyContainer, Equatable, Sendable {
    package let key: LightKey
    /// The name that controllers see.
    package let name: String
    /// The name that the driver reports.
    let sourceName: String
    package let kind: LightKind
    /// The number of the light's bridge, from 1.
    package let bridge: Int
    package let aid: AccessoryID
    package let isReachable: Bool
    /// The known values.
    package var values: PropertyValues
    /// The last momentary events since the start of the bridge, for the operator.
    package let lastEvents: PropertyValues
    package let suggestedRoom: String?
    /// A Boolean value that indicates whether the state is only the last commanded state, because the light sends no
    /// reports or didn't confirm its newest command.
    package let isOptimistic: Bool
}

/// A change of a light, or a momentary event.
package struct LightEvent: Equatable, Sendable {
    /// The source of a change.
    package enum Origin: String, Sendable {
        case device, controller, `operator`
        /// The bridge, which follows an adaptive lighting curve from a home hub.
        case adaptiveLighting = "adaptive lighting"
    }

    package let light: LightSnapshot
    /// The momentary events, such as the press of a button; empty if the state has changed.
    package var events = PropertyValues()
    package let origin: Origin
}

/// The operator's settings for a light.
package struct LightOverride: Equatable, Sendable {
    package var name: String?
    package var isHidden: Bool
    package var tap: Tap
    /// The duration of fades, or `nil` for the light's default.
    package var transition: Duration?
    package var thresholds: GasThresholds

    /// The effect of a tap on a light's tile.
    ///
    /// For a tap, the Home app writes full brightness together with `On`.
    package enum Tap: String, CaseIterable, Sendable {
        /// The light gets the written brightness.
        case full
        /// The light gets the level that it had before it was switched off.
        case restore
    }

    package init(
        name: String? = nil, isHidden: Bool = false, tap: Tap = .full, transition: Duration? = nil,
        thresholds: GasThresholds = GasThresholds()
    ) {
        self.name = name
        self.isHidden = isHidden
        self.tap = tap
        self.transition = transition
        self.thresholds = thresholds
    }
}
