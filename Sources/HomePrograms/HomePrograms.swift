import SystemKit
import hapsim
import homehub
import homehubd

/// `homehub`, `homehubd` and `hapsim` in one executable: most of their code is the same libraries.
///
/// The name of the command selects the program.
@main
struct HomePrograms {
    @MainActor static func main() async {
        switch ProgramName.current {
        case "homehubd": await runHomehubd()
        case "hapsim": await runHapsim()
        default: await runHomehub()
        }
    }
}
