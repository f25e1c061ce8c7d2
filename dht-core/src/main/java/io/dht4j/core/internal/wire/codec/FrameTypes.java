package io.dht4j.core.internal.wire.codec;

/** The numbers of the message types. */
final class FrameTypes {

    static final int READ_KEYS = 1;
    static final int APPLY_ENTRIES = 2;
    static final int SCAN_PAGE = 3;
    static final int PING = 4;
    static final int BATCH = 5;
    static final int REPAIR_SUMS = 6;
    static final int REPAIR_VERSIONS = 7;
    static final int REPAIR_PREPARE = 8;
    static final int REPAIR_DECISION = 9;
    static final int REPAIR_WATERMARKS = 10;
    static final int REPAIR_ENTRIES = 11;
    static final int REFILL_PAGE = 12;
    static final int FEATURES = 13;

    /** The bit that distinguishes the type of a reply from that of its request. */
    static final int REPLY = 0x80;

    static final int OPEN_SNAPSHOT = 20;
    static final int FIX_SNAPSHOT = 21;
    static final int SNAPSHOT_PAGE = 22;
    static final int RENEW_SNAPSHOT = 23;
    static final int END_SNAPSHOT = 24;
    static final int REGISTER_PREPARE = 32;
    static final int REGISTER_ACCEPT = 33;
    static final int REGISTER_READ = 34;
    static final int REGISTER_EXECUTE = 35;
    static final int FOUND_CLUSTER = 48;
    static final int CLUSTER_STATE = 49;
    static final int APPEND_COMMAND = 50;
    static final int LOG_PART = 51;
    static final int NODE_REPORT = 52;
    static final int ADMIT_NODE = 53;
    static final int FOUND = 0x81;
    static final int APPLIED = 0x82;
    static final int PAGE = 0x83;
    static final int PONG = 0x84;
    static final int BATCHED = 0x85;
    static final int SUMS = 0x86;
    static final int VERSIONS = 0x87;
    static final int VOTE = 0x88;
    static final int ACKNOWLEDGED = 0x89;
    static final int WATERMARKS = 0x8A;
    static final int FEATURES_KNOWN = 0x8D;
    static final int SNAPSHOT_OPENED = 0xA0;
    static final int SNAPSHOT_DONE = 0xA1;
    static final int SNAPSHOT_LACKS = 0xA2;
    static final int PROMISED = 0xA8;
    static final int ACCEPTED = 0xA9;
    static final int BALLOT_REFUSED = 0xAA;
    static final int HELD = 0xAB;
    static final int OUTCOME = 0xAC;
    static final int OUTCOME_UNKNOWN = 0xAD;
    static final int FOUNDER = 0xB0;
    static final int STATE_PART = 0xB1;
    static final int APPENDED = 0xB2;
    static final int TAKEN = 0xB3;
    static final int REPORTED = 0xB4;
    static final int LAST_HEARD = 0xB5;
    static final int OTHER_SETTINGS = 0xFE;
    static final int FAILED = 0xFF;

    private FrameTypes() {}
}
