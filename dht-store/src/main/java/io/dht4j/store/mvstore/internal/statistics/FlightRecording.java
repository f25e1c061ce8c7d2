package io.dht4j.store.mvstore.internal.statistics;

import jdk.jfr.FlightRecorder;

/** Tells whether the Flight Recorder may be recording. */
final class FlightRecording {

    /** False in a run-time image without the module. */
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /**
     * Returns false until the first recording of the process. The class of an event must not be loaded before: the JDK
     * then starts the recorder.
     */
    static boolean mayBeOn() {
        return AVAILABLE && FlightRecorder.isInitialized();
    }
}
