import BoundedJSON
import SystemKit
import TerminalKit

/// Checks the steps of a start in order, and reports the result of each.
package struct StartSteps {
    private let report: (StartReport) -> Void
    private let split: (any Error) -> (problem: String, remedy: String)?

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - split: Returns the problem and the remedy of an error that has them separately.
    ///   - report: Receives the results.
    package init(
        splitting split: @escaping (any Error) -> (problem: String, remedy: String)?,
        _ report: @escaping (StartReport) -> Void
    ) {
        self.split = split
        self.report = report
    }

    /// Performs a step, which returns a value for the next steps and a finding.
    ///
    /// - Throws: The step's error, after reporting it.
    package func check<Result>(_ step: StartReport.Step, _ body: () throws -> (Result, String)) throws -> Result {
        do {
            let (result, message) = try body()
            report(StartReport(step, message))
            return result
        } catch {
            let halves = split(error)
            report(
                StartReport(
                    step, "\(error)".sanitized, code: ExitCode(error).rawValue, problem: halves?.problem,
                    remedy: halves?.remedy.sanitized))
            throw error
        }
    }
}

extension StartReport {
    /// Prints the report on standard output.
    ///
    /// A failed step is printed only as JSON, because the thrown error is printed like any startup error.
    package func print(isJSON: Bool) {
        if isJSON {
            StandardStreams.printLine(json.text)
        } else if code == nil {
            StandardStreams.printLine("\(step.rawValue): \(message)".sanitized)
        }
    }
}
