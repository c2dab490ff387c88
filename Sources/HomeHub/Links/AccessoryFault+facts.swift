import HAPController
import HomeModel

extension AccessoryFault {
    /// What the latest facts say of an accessory server with which there is no session, in whatever order they have come.
    ///
    /// What the accessory says within pair verify counts first; what it advertises, which anybody could, only tells one
    /// that was reset from one that somebody else has.
    ///
    /// - Parameters:
    ///   - failure: how the last try to connect, or the last session, ended; `nil` if there was none.
    ///   - isPaired: whether it advertises that somebody is paired with it; `nil` while it is not seen.
    ///   - hasSuccessor: whether one of its kind that is free is seen where it was: a reset gives a new device id (HAP 1.2).
    init?(_ failure: LinkFailure?, isPaired: Bool?, hasSuccessor: Bool = false) {
        switch failure {
        // What it advertised before the reset may be seen for an hour more.
        case .notPaired where hasSuccessor, .notGenuine where hasSuccessor, .otherAccessory where hasSuccessor:
            self = .forgotten
        case .notPaired: self = isPaired == true ? .pairedElsewhere : .forgotten
        case .notGenuine:
            // Accessories that were reset refuse like this, and so could any device.
            guard isPaired == false else { return nil }
            self = .forgotten
        case .otherAccessory:
            // The one that we know is silent; what answers in its place is none of it, or it after a reset.
            guard let isPaired else { return nil }
            self = isPaired ? .pairedElsewhere : .forgotten
        case .outOfCompliance, .ended(.badAnswer), .ended(.violation): self = .invalidAnswers
        case .ended(.closed), .ended(.lost), .ended(.timedOut), .ended(.notAuthorized), .busy, .unreachable, nil:
            guard hasSuccessor else { return nil }
            self = .forgotten
        }
    }
}
