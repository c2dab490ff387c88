// Drivers need ConfigurationKit's errors and decoders for their configurations.
@_exported import ConfigurationKit
