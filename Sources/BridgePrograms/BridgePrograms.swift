import SystemKit
import lamplighter
import lamplighterd

/// `lamplighter` and `lamplighterd` in one executable: most of their code is the same libraries.
///
/// The name of the command selects the program.
@main
struct BridgePrograms {
    @MainActor static func main() async {
        switch ProgramName.current {
        case "lamplighterd": await runLamplighterd()
        default: await runLamplighter()
        }
    }
}
