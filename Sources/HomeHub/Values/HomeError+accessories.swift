import HAPController
import HAPProtocol
import HomeModel

extension HomeError {
    /// Why an accessory did not do what was asked; `nil` if it did.
    init?(_ status: HAPStatus, of accessory: Accessory) {
        guard let code = Code(hapStatus: status.rawValue, isBridged: accessory.isBridged) else { return nil }
        self.init(code, accessory: accessory.id)
    }

    /// Why an accessory was not asked, or gave no answer.
    init(_ error: LinkError, of accessory: Accessory, in graph: HomeGraph) {
        if error == .notConnected, let fault = graph.accessory(accessory.id)?.fault {
            self.init(fault.code, detail: fault.localizedDescription, accessory: accessory.id)
        } else {
            self.init(Code(error), accessory: accessory.id)
        }
    }

    /// Why an accessory could not be added.
    init(_ error: SetupError) {
        let code: Code =
            switch error {
            case .unreachable: .accessoryNotReachable
            case .alreadyPaired: .objectAssociatedToAnotherHome
            case .wrongCode, .tooManyTries, .notGenuine: .accessoryPairingFailed
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
    /// Why a characteristic is not reported; `nil` if it is, or will be with the next connection.
    init?(_ outcome: SubscriptionOutcome) {
        switch outcome {
        case .confirmed, .pending: return nil
        case .refused(let status): self.init(hapStatus: status.rawValue, isBridged: false)
        case .failed(let error): self.init(LinkError.request(error))
        }
    }
}
