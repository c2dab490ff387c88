import HomeClient

/// An app for tests, which does what it is told on standard input and prints what it is told by the home.
@main
struct HomeProbe {
    static func main() async {}
}
