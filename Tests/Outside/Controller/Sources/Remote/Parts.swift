import HAPController

// Code from the articles. Each part is in a function that declares the values that it uses.

func pair(_ controller: Controller, _ found: FoundAccessory, _ code: SetupCode) async {
    var id: DeviceID?
    func askAgain() {}
    func explainReset() {}
    func show(_ message: String) {}
    do throws(ControllerError) {
        id = try await controller.pair(with: found, code: code)
    } catch {
        switch error.code {
        case .wrongCode: askAgain()
        case .alreadyPaired: explainReset()
        default: show(error.message)
        }
    }
    print(id as Any)
}

func power(of accessory: AccessoryObject) -> CharacteristicObject? {
    let lamp: ServiceObject? = accessory.services.first { $0.type == .lightbulb }
    return lamp?.characteristics.first { $0.type == .on }
}

let ownType = HAPType("3C1B3D5E-9A0B-4C57-8E4C-0B6C6F2E7A10").map { CharacteristicType($0) }

func show(_ controller: Controller) async throws(ControllerError) {
    for await found in try controller.discoveries() {
        for accessory in found where !accessory.isPaired { print(accessory.name, accessory.category) }
    }
}
