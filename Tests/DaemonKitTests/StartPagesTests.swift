import Testing

@testable import DaemonKit

@Suite("What a start leaves behind")
struct StartPagesTests {
    @Test("code and constants are let go of, and nothing that was ever written")
    func pages() {
        let maps = """
            55d0c0000000-55d0c0100000 r--p 00000000 fe:01 131 /usr/sbin/lamplighterd
            55d0c0100000-55d0c2000000 r-xp 000ff000 fe:01 131 /usr/sbin/lamplighterd
            55d0c2000000-55d0c2100000 r--p 01ffe000 fe:01 131 /usr/sbin/lamplighterd
            55d0c2100000-55d0c4000000 rw-p 020fd000 fe:01 131 /usr/sbin/lamplighterd
            55d0c5000000-55d0c5021000 rw-p 00000000 00:00 0   [heap]
            7f0000000000-7f0000008000 rw-s 00000000 fe:01 977 /var/lib/lamplighter/bridge.sqlite-shm
            7f0000010000-7f0000020000 r-xp 00000000 00:00 0
            7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0   [vdso]
            7f00000 r-xp 00000000 fe:01 1 /nonsense
            7f0000030000-7f0000020000 r-xp 00000000 fe:01 1 /backwards
            """
        #expect(
            StartPagesService.readOnlyPages(in: maps) == [
                0x55d0_c000_0000..<0x55d0_c010_0000, 0x55d0_c010_0000..<0x55d0_c200_0000,
            ])
    }
}
