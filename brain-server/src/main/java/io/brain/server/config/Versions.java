package io.brain.server.config;

/** Version numbers that clients and operators see. */
public final class Versions {
    /** The release of etcd whose API is served. */
    public static final String API = "3.7.3";

    /** The cluster version of that release. */
    public static final String CLUSTER = "3.7.0";

    private Versions() {}

    /** Version of Brain. */
    public static String brain() {
        String version = Versions.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
