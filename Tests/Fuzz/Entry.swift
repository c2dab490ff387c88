internal import Dispatch
internal import Glibc

#if FUZZING
/// The target named by the environment variable `FUZZ_TARGET`, because libFuzzer's command line can't pass it.
private let chosen: FuzzTarget? = getenv("FUZZ_TARGET").flatMap { FuzzTarget(named: String(cString: $0)) }

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let chosen else { preconditionFailure("FUZZ_TARGET isn't the name of a target") }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    switch chosen.check {
    case .atOnce(let check): check(input)
    case .inTime(let check):
        let hasEnded = DispatchSemaphore(value: 0)
        Task {
            await check(input)
            hasEnded.signal()
        }
        hasEnded.wait()
    }
    return 0
}
#else
/// Runs a target once for each given file without libFuzzer, to reproduce a failure.
@main
private enum Replay {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let target = FuzzTarget(named: arguments[1]) else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        for path in arguments.dropFirst(2) {
            guard let bytes = contents(of: path) else {
                print("can't read \(path)")
                exit(1)
            }
            print("\(target.name): \(path)")
            fflush(nil)
            await target.run(bytes)
        }
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}
#endif
