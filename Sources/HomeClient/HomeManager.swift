/// An app's access to the homes of its user.
public actor HomeManager {}
