ARG CUDA=12.6.3
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04
RUN apt-get update && apt-get install -y --no-install-recommends \
        libnvidia-compute-535 \
        python3-pip \
    && rm -rf /var/lib/apt/lists/*
RUN pip install torch --index-url https://download.pytorch.org/whl/cpu
ENV LD_LIBRARY_PATH=/usr/local/cuda-12.6/compat:$LD_LIBRARY_PATH
CMD ["python3", "train.py"]
