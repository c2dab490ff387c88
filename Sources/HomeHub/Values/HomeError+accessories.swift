import HAPController
import HAPProtocol
import HomeModel

extension HomeError {
    /// Creates the error for an accessory's status; returns `nil` for success.
    init?(_ status: HAPStatus, of accessory: Accessory) {
        guard let code = Code(hapStatus: status.rawValue, isBridged: accessory.isBridged) else { return nil }
        self.init(code, accessory: accessory.id)
    }

    /// Creates the error for a request that wasn't sent or got no answer.
    init(_ error: LinkError, of accessory: Accessory, in graph: HomeGraph) {
        if error == .notConnected, let fault = graph.accessory(accessory.id)?.fault {
            self.init(fault.code, detail: fault.localizedDescription, accessory: accessory.id)
        } else {
            self.init(Code(error), accessory: accessory.id)
        }
    }

    /// Creates the error for an accessory that couldn't be added.
    init(_ error: SetupError) {
        let code: Code =
            switch error {
            case .unreachable: .accessoryNotReachable
            case .alreadyPaired: .objectAssociatedToAnotherHome
            case .wrongCode, .tooManyTries, .notGenuine, .formerPairing: .accessoryPairingFailed
            case .ownership: .ownershipFailure
            case .busy, .backOff: .accessoryIsBusy
            case .full: .accessoryOutOfResources
            case .otherAccessory: .accessoryCommunicationFailure
            case .outOfCompliance: .accessoryOutOfCompliance
            case .refused: .genericError
            case .vaultFailed: .storageFailed
            case .unexpectedStatus(let status): status < 500 ? .clientRequestError : .accessoryResponseError
            case .ended(.timedOut, _): .timedOutWaitingForAccessory
            case .ended(.violation, _), .ended(.badAnswer, _): .accessorySentInvalidResponse
            case .ended: .communicationFailure
            }
        self.init(code, detail: error.description)
    }
}

extension HomeError.Code {
    init(_ error: LinkError) {
        self =
            switch error {
            case .notConnected: .accessoryNotReachable
            case .request(.tooMany): .accessoryIsBusy
            case .request(.ended(.timedOut)): .operationTimedOut
            case .request(.ended(.violation)), .request(.ended(.badAnswer)): .accessorySentInvalidResponse
            case .request(.ended(.notAuthorized)): .securityFailure
            case .request(.ended), .request(.canceled): .communicationFailure
            }
    }
}

extension HomeError.Code {
    /// Creates the error code for a characteristic that isn't reported; returns `nil` if it is, or will be after
    /// reconnecting.
    init?(_ outcome: SubscriptionOutcome) {
        switch outcome {
        case .confirmed, .pending: return nil
        case .refused(let status): self.init(hapStatus: status.rawValue, isBridged: false)
        case .failed(let error): self.init(LinkError.request(error))
        }
    }
}
