// Clients of this module also need its secrets, random numbers, ciphers and hashes.
@_exported import SodiumKit
