import AsyncKit
import HomeModel

/// The services of one accessory server whose targets were written, and the pauses between reads of them.
///
/// A lock reports *locked* several seconds after the command, or not at all. The hub therefore reads the service until
/// its current value equals the target, with increasing pauses, and gives up after the last pause. Each write restarts
/// the sequence of pauses.
struct TargetReads {
    private let pauses: [Duration]
    private var services: Set<Service.ID> = []
    private var reads = 0
    private var isRunning = false
    /// The signal of another write.
    let written = AsyncSignal()

    init(pauses: [Duration]) { self.pauses = pauses }

    /// Adds services with new targets; returns whether a run must begin.
    mutating func wrote(to services: Set<Service.ID>) -> Bool {
        self.services.formUnion(services)
        reads = 0
        guard isRunning else {
            isRunning = true
            return true
        }
        written.send()
        return false
    }

    /// Returns the pause before the next read.
    ///
    /// - Parameter isApproaching: Whether a service hasn't reached its target.
    /// - Returns: The pause; `nil` if all targets were reached or the last pause has passed, which ends the run.
    mutating func nextPause(where isApproaching: (Service.ID) -> Bool) -> Duration? {
        services = services.filter(isApproaching)
        guard !services.isEmpty, reads < pauses.count else {
            services = []
            isRunning = false
            return nil
        }
        return pauses[reads]
    }

    /// Begins a read; returns the services to read.
    mutating func beginRead() -> Set<Service.ID> {
        reads += 1
        return services
    }
}
