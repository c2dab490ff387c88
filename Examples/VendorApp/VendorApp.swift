import HomeClient

@main
struct VendorApp {
    static func main() async {}
}
