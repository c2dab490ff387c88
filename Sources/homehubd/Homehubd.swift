import ArgumentParser

@main
struct Homehubd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "homehubd", abstract: "The home's daemon.")
}
