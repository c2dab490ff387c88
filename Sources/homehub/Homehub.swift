import ArgumentParser

@main
struct Homehub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "homehub", abstract: "The home's command.")
}
