import HomeClient

@main
struct VendorApp {
    static func main() async {
        let x = CharacteristicValue.bool(true)
        print(x.number as Any, ServiceType.lightbulb.description, SetupCode(typed: "123") as Any)
        let s: Service? = nil
        print(s?.characteristic(.on)?.metadata.format as Any)
        let a: Accessory? = nil
        print(a?.category.localizedDescription ?? "")
    }
}
