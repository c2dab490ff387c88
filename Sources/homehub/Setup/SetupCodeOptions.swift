import ArgumentParser
import HomeClient

/// The setup code of a device, as digits or as the text of its QR code.
struct SetupCodeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The eight digits on the device.", valueName: "XXX-XX-XXX"))
    var code: String?

    @Option(help: ArgumentHelp("The text of the QR code on the device.", valueName: "X-HM://..."))
    var payload: String?

    /// The digits, or `nil` if they weren't given.
    var typed: SetupCode? { code.flatMap { SetupCode(typed: $0) } }
    /// The content of the QR code, or `nil` if it wasn't given.
    var scanned: AccessorySetupPayload? { payload.flatMap { AccessorySetupPayload(url: $0) } }

    func validate() throws {
        if code != nil, typed == nil {
            throw ValidationError(
                "A setup code has eight digits, such as 518-08-582. Codes like 111-11-111 or 123-45-678 aren't allowed."
            )
        }
        if payload != nil, scanned == nil {
            throw ValidationError("The text of a QR code begins with X-HM:// and has 20 characters.")
        }
    }
}
