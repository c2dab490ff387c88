import HAPController
import HomeModel

extension AccessoryFault {
    /// Derives the fault of an accessory server that has no session.
    ///
    /// The result doesn't depend on the order in which the facts arrived.
    ///
    /// The result of pair verify takes precedence. The advertisement, which any device can forge, only distinguishes a
    /// reset from a pairing with another controller.
    ///
    /// - Parameters:
    ///   - failure: The reason why the last connection attempt or session ended; `nil` before the first attempt.
    ///   - isPaired: Whether the accessory advertises that it's paired; `nil` while it isn't visible.
    ///   - hasSuccessor: Whether an unpaired accessory of the same kind is visible at the same address: a reset creates
    ///     a new device ID (HAP 1.2).
    init?(_ failure: LinkFailure?, isPaired: Bool?, hasSuccessor: Bool = false) {
        switch failure {
        // The mDNS record from before the reset may remain visible for another hour.
        case .notPaired where hasSuccessor, .notGenuine where hasSuccessor, .otherAccessory where hasSuccessor:
            self = .forgotten
        case .notPaired: self = isPaired == true ? .pairedElsewhere : .forgotten
        case .notGenuine:
            // An accessory refuses in this way after a reset, but so can any other device at its address.
            guard isPaired == false else { return nil }
            self = .forgotten
        case .otherAccessory:
            // A device other than the known accessory responds at its address. It may be the same device after a reset.
            guard let isPaired else { return nil }
            self = isPaired ? .pairedElsewhere : .forgotten
        case .outOfCompliance, .ended(.badAnswer), .ended(.violation): self = .invalidAnswers
        case .ended(.closed), .ended(.lost), .ended(.timedOut), .ended(.notAuthorized), .busy, .unreachable, nil:
            guard hasSuccessor else { return nil }
            self = .forgotten
        }
    }
}
